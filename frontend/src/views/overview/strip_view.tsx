import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { time } from "../../model/format";
import { isLabelled, layoutStrip, type Column, type StripLayout, type StripStep } from "../../model/strip";
import { useWidth } from "../../ui/use_width";

const GUTTER = 46;

const NOTE_WIDTH = 80;
const THIN = 24;

function gpuLabel(step: StripStep, columnWidth: number): string {
  if (step.gpu_us === null) return columnWidth >= NOTE_WIDTH ? step.gpuNote : step.gpuNote === "" ? "" : "?";
  return step.open ? "—" : time(step.gpu_us);
}

function spoken(step: StripStep): string {
  const gpu =
    step.gpu_us === null
      ? `GPU: ${step.gpuNote}`
      : step.open
        ? "GPU window opened with the recording"
        : `GPU ${time(step.gpu_us)}`;
  const settled = step.settled ? "" : `, not settled: ${step.reason}`;
  return `${step.name}, CPU ${time(step.cpu_us)}, ${gpu}${settled}`;
}

/** Hatching over what is not to be counted: all of an unsettled step, the open GPU side of a first one. */
function Veil({ column, axis }: { column: Column; axis: number }): JSX.Element | null {
  const { step, top, bottom } = column;
  if (step.settled && !step.open) return null;
  const from = step.settled ? axis : top;
  const look = step.settled ? "veil open" : "veil";
  return <i class={look} style={{ top: `${from}px`, height: `${bottom - from}px` }} />;
}

function Bars({ column, layout }: { column: Column; layout: StripLayout }): JSX.Element {
  const left = (layout.columnWidth - layout.barWidth) / 2;
  return (
    <div class="bars" style={{ left: `${left}px`, width: `${layout.barWidth}px` }}>
      {column.segments.map((segment, index) => (
        <i
          key={index}
          class={`fill-${segment.fill}`}
          title={segment.title}
          style={{ top: `${segment.y}px`, height: `${segment.height}px` }}
        />
      ))}
      <Veil column={column} axis={layout.axis} />
      {column.tornTop && <i class="tear" style={{ top: `${column.top + 4}px` }} />}
      {column.tornBottom && <i class="tear" style={{ top: `${column.bottom - 12}px` }} />}
    </div>
  );
}

function Labels({
  column,
  layout,
  withGpu,
}: Pick<ColumnProps, "column" | "layout" | "withGpu">): JSX.Element {
  const { step } = column;
  return (
    <>
      <span class={step.settled ? "" : "dim"} style={{ top: `${column.top - 18}px` }}>
        {time(step.cpu_us)}
      </span>
      {withGpu && (
        <span class={step.settled && !step.open ? "" : "dim"} style={{ top: `${column.bottom + 2}px` }}>
          {gpuLabel(step, layout.columnWidth)}
        </span>
      )}
      <span class={`step-name ${layout.reasonBelow ? "two-lines" : ""}`}>
        {step.name}{" "}
        {!step.settled && (
          <em style={{ maxWidth: `${Math.max(layout.labelWidth, layout.columnWidth)}px` }}>{step.reason}</em>
        )}
      </span>
    </>
  );
}

interface ColumnProps {
  column: Column;
  layout: StripLayout;
  selected: boolean;
  labelled: boolean;
  /** False where no step has a GPU side. */
  withGpu: boolean;
  onSelect: (key: string) => void;
}

function ColumnView(props: ColumnProps): JSX.Element {
  const { column, layout, selected, labelled, withGpu, onSelect } = props;
  const thin = layout.columnWidth < THIN;
  // The same element as before is not compared again: with 500 steps that is most of a selection's time.
  const bars = useMemo(() => <Bars column={column} layout={layout} />, [column, layout]);
  return (
    <div
      id={`step-${column.step.key}`}
      role="option"
      class={thin ? "column thin" : "column"}
      aria-selected={selected}
      aria-label={spoken(column.step)}
      title={thin ? spoken(column.step) : undefined}
      style={{ left: `${column.x}px`, width: `${layout.columnWidth}px` }}
      onClick={() => onSelect(column.step.key)}
    >
      {bars}
      {labelled && <Labels column={column} layout={layout} withGpu={withGpu} />}
    </div>
  );
}

function Scale({ layout, withGpu }: { layout: StripLayout; withGpu: boolean }): JSX.Element {
  return (
    <div class="scale" aria-hidden="true" style={{ width: `${GUTTER}px` }}>
      {layout.ticks.map((tick) => (
        <span key={tick.y} style={{ top: `${tick.y - 8}px` }}>
          {Math.abs(tick.y - layout.axis) > 24 && tick.label}
        </span>
      ))}
      <b style={{ top: `${layout.axis - 18}px` }}>CPU</b>
      {withGpu && <b style={{ top: `${layout.axis + 3}px` }}>GPU</b>}
      <span style={{ top: `${layout.height - 24}px` }}>{layout.unit}</span>
    </div>
  );
}

function Grid({ layout }: { layout: StripLayout }): JSX.Element {
  return (
    <>
      {layout.ticks.map((tick) => (
        <i key={tick.y} class="grid-line" style={{ top: `${tick.y}px` }} />
      ))}
    </>
  );
}

interface Props {
  steps: readonly StripStep[];
  selected: string;
  height: number;
  withGpu: boolean;
  onSelect: (key: string) => void;
}

/** The key that a press in the list of steps leads to; null: none of ours. */
function stepAfter(key: string, steps: readonly StripStep[], selected: string): string | null {
  const at = steps.findIndex((step) => step.key === selected);
  const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: steps.length - 1 }[key];
  return to === undefined ? null : (steps[Math.max(0, Math.min(steps.length - 1, to))]?.key ?? null);
}

/** Every step as two columns on one scale: its CPU span above the axis, its device's window below. */
export function StripView({ steps, selected, height, withGpu, onSelect }: Props): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null);
  const width = useWidth(scroller, 640);
  const layout = useMemo(() => layoutStrip(steps, { width, height }), [steps, width, height]);
  const at = steps.findIndex((step) => step.key === selected);
  useEffect(() => {
    const column = layout.columns[at];
    const box = scroller.current;
    if (!box || !column) return;
    const hidden =
      column.x < box.scrollLeft || column.x + layout.columnWidth > box.scrollLeft + box.clientWidth;
    if (hidden) box.scrollLeft = column.x - box.clientWidth / 2;
  }, [layout, at]);
  const press = (event: KeyboardEvent): void => {
    const next = stepAfter(event.key, steps, selected);
    if (next === null) return;
    event.preventDefault();
    onSelect(next);
  };
  return (
    <div class="strip" style={{ height: `${height}px` }}>
      <Scale layout={layout} withGpu={withGpu} />
      <div
        ref={scroller}
        class="strip-scroll"
        role="listbox"
        aria-label="Steps"
        aria-orientation="horizontal"
        aria-activedescendant={`step-${selected}`}
        tabIndex={0}
        onKeyDown={press}
      >
        <div class="strip-content" style={{ width: `${layout.contentWidth}px`, height: `${height - 2}px` }}>
          <Grid layout={layout} />
          {layout.columns.map((column, index) => (
            <ColumnView
              key={column.step.key}
              column={column}
              layout={layout}
              selected={index === at}
              labelled={isLabelled(index, at, layout)}
              withGpu={withGpu}
              onSelect={onSelect}
            />
          ))}
          <i class="axis" style={{ top: `${layout.axis}px` }} />
        </div>
      </div>
    </div>
  );
}
