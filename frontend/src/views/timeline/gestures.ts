// Mouse, pen and touch on the drawing, told as what the reader wants.

export interface Point {
  x: number;
  y: number;
}

export interface Wishes {
  pan: (dx: number, dy: number, began: Point) => void;
  /** `factor` above 1 shows more time. */
  zoom: (x: number, factor: number) => void;
  scroll: (at: Point, dy: number) => void;
  hover: (at: Point | null) => void;
  press: (at: Point) => void;
  /** A range of the drawing, while it is being drawn and when it is done. */
  measure: (fromX: number, toX: number) => void;
  open: (at: Point) => void;
}

/** A press that moves less than this is no drag. */
const STILL = 4;
const ZOOM_PER_PIXEL = 0.0022;
const LINE = 16;
const MOST_WHEEL = 240;

function pointOf(element: HTMLElement, event: MouseEvent): Point {
  const box = element.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

function turn(event: WheelEvent, at: Point, wishes: Wishes): void {
  const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? LINE : 1;
  const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
  const sideways = event.shiftKey ? dx || dy : Math.abs(dx) > Math.abs(dy) ? dx : 0;
  if (event.altKey) return wishes.scroll(at, dy);
  if (sideways !== 0) return wishes.pan(-sideways, 0, at);
  const amount = Math.max(-MOST_WHEEL, Math.min(MOST_WHEEL, dy));
  return wishes.zoom(at.x, Math.exp(amount * ZOOM_PER_PIXEL));
}

interface Drag {
  began: Point;
  last: Point;
  measures: boolean;
  moved: boolean;
}

function moveDrag(drag: Drag, at: Point, wishes: Wishes): void {
  const away = Math.hypot(at.x - drag.began.x, at.y - drag.began.y);
  if (!drag.moved && away < STILL) return;
  drag.moved = true;
  if (drag.measures) wishes.measure(drag.began.x, at.x);
  else wishes.pan(at.x - drag.last.x, at.y - drag.last.y, drag.began);
  drag.last = at;
}

/** Whether a turn of the wheel is meant for the drawing. On a page that scrolls, only once it was pressed. */
function isMeant(element: HTMLElement, event: WheelEvent, scrolls: boolean): boolean {
  return !scrolls || event.ctrlKey || document.activeElement === element;
}

/** Listens on an element; gives how to stop. `scrolls`: whether the page around it does. */
export function listenToGestures(element: HTMLElement, wishes: Wishes, scrolls: boolean): () => void {
  let drag: Drag | null = null;
  const calledOff = new AbortController();
  const { signal } = calledOff;
  element.addEventListener(
    "pointerdown",
    (event) => {
      if (event.button !== 0) return;
      const began = pointOf(element, event);
      drag = { began, last: began, measures: event.shiftKey, moved: false };
      element.setPointerCapture(event.pointerId);
    },
    { signal },
  );
  element.addEventListener(
    "pointermove",
    (event) => {
      const at = pointOf(element, event);
      if (drag) moveDrag(drag, at, wishes);
      else wishes.hover(at);
    },
    { signal },
  );
  element.addEventListener(
    "pointerup",
    (event) => {
      const at = pointOf(element, event);
      if (drag && !drag.moved) wishes.press(at);
      drag = null;
    },
    { signal },
  );
  element.addEventListener("pointercancel", () => (drag = null), { signal });
  element.addEventListener("pointerleave", () => wishes.hover(null), { signal });
  element.addEventListener("dblclick", (event) => wishes.open(pointOf(element, event)), { signal });
  element.addEventListener(
    "wheel",
    (event) => {
      if (!isMeant(element, event, scrolls)) return;
      event.preventDefault();
      turn(event, pointOf(element, event), wishes);
    },
    { signal, passive: false },
  );
  return () => calledOff.abort();
}
