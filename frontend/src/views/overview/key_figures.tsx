import type { JSX } from "preact";
import type { Report } from "../../api/types";
import { tiles, type Tile } from "../../model/figures";
import { Spark } from "../../ui/spark";

function TileView({ tile }: { tile: Tile }): JSX.Element {
  return (
    <div class="tile">
      <dt>{tile.label}</dt>
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
  return (
    <dl class="card tiles">
      {tiles(report).map((tile) => (
        <TileView key={tile.label} tile={tile} />
      ))}
    </dl>
  );
}
