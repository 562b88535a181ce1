import type { JSX } from "preact";
import type { Report } from "../../api/types";
import { keyFigures, type Tile } from "../../model/figures";
import { Spark } from "../../ui/spark";
import { Term } from "../../ui/term";

const MOST_TILES = 4;

function TileView({ tile }: { tile: Tile }): JSX.Element {
  return (
    <div class="tile">
      <dt>
        <Term meaning={tile.meaning}>{tile.label}</Term>
      </dt>
      <dd>
        {tile.figure === null ? (
          <span class="value missing">not measured</span>
        ) : (
          <span class="value">
            {tile.figure.value}
            <small>{tile.figure.unit}</small>
          </span>
        )}
        <Spark points={tile.points} />
        <span class="note" title={tile.note}>
          {tile.note}
        </span>
      </dd>
    </div>
  );
}

export function KeyFigures({ report }: { report: Report }): JSX.Element {
  const { tiles, without } = keyFigures(report);
  return (
    <div class="card tiles">
      <dl style={{ flexGrow: tiles.length }}>
        {tiles.map((tile) => (
          <TileView key={tile.label} tile={tile} />
        ))}
      </dl>
      {without !== null && (
        <p class="without" style={{ flexGrow: MOST_TILES - tiles.length }}>
          {without}
        </p>
      )}
    </div>
  );
}
