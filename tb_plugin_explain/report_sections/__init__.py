"""The types of the report's larger sections, one module each; of ours they import ``findings`` alone."""
