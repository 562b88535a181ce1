import type { JSX } from "preact";
import type { Spot } from "../model/spots";

export type ShowSpot = (spot: Spot) => void;

interface Props {
  spot: Spot;
  /** What it leads to, in words that are read aloud. */
  about: string;
  onShow: ShowSpot;
}

const LONGEST = 120;

/** At the end of a row: leads to the event on the timeline that the row is about. */
export function SpotButton({ spot, about, onShow }: Props): JSX.Element {
  const words = `Show ${about.length > LONGEST ? `${about.slice(0, LONGEST)}…` : about} on the timeline`;
  return (
    <button type="button" class="spot" title={words} aria-label={words} onClick={() => onShow(spot)}>
      <span aria-hidden="true">→</span>
    </button>
  );
}
