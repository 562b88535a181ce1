"""What pyproject.toml cannot say: for which Pythons a wheel is."""

import sysconfig

from setuptools import setup

# One wheel a platform, for Python 3.11 and all after it. A free-threaded Python has no limited API, and
# setuptools would build nothing at all there.
wheel = {} if sysconfig.get_config_var("Py_GIL_DISABLED") else {"py_limited_api": "cp311"}

setup(options={"bdist_wheel": wheel})
