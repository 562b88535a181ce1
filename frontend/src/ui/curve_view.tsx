import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { layoutCurve, type Frame } from "../model/curve";
import type { Curve } from "../model/sections/index";
import { useWidth } from "./use_width";

const HEIGHT = 150;
const MARGINS = { left: 64, right: 14, top: 16, bottom: 22 };
const NEAR_END = 0.7;

/** Lines over time or steps, from 0 upwards; the figures are in the table beside it. */
export function CurveView({ curve }: { curve: Curve }): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 640);
  const frame: Frame = { width, height: HEIGHT, ...MARGINS };
  const { paths, x, y, mark } = layoutCurve(curve, frame);
  const named = paths.map((path) => path.name).join(", ");
  const label = mark === null ? named : `${named}; ${mark.text}`;
  return (
    <div ref={box} class="curve">
      <svg width={width} height={HEIGHT} role="img" aria-label={label}>
        {y.map((tick) => (
          <g key={tick.at}>
            <path class="grid" d={`M${MARGINS.left} ${tick.at}H${width - MARGINS.right}`} />
            <text x={MARGINS.left - 8} y={tick.at + 4} text-anchor="end">
              {tick.label}
            </text>
          </g>
        ))}
        {x.map((tick, index) => (
          <text key={tick.at} x={tick.at} y={HEIGHT - 6} text-anchor={index === 0 ? "start" : "end"}>
            {tick.label}
          </text>
        ))}
        {paths.map((path) => (
          <path key={path.name} class={`line line-${path.look}`} d={path.d} />
        ))}
        {mark && (
          <>
            <circle cx={mark.x} cy={mark.y} r="3.5" />
            <text
              class="mark"
              x={mark.x}
              y={mark.y - 7}
              text-anchor={mark.x > width * NEAR_END ? "end" : "start"}
            >
              {mark.text}
            </text>
          </>
        )}
      </svg>
      <p class="hint curve-key">
        {paths.map((path) => (
          <span key={path.name}>
            <i class={`line-${path.look}`} /> {path.name}
          </span>
        ))}
      </p>
    </div>
  );
}
