import type { JSX } from "preact";

export interface Option {
  value: string;
  label: string;
  /** Told in the list only. */
  note?: string;
  title?: string;
}

interface Props {
  label: string;
  value: string;
  options: readonly Option[];
  mono?: boolean;
  onPick: (value: string) => void;
}

const LABEL_LENGTH = 160;

function short(text: string): string {
  return text.length > LABEL_LENGTH ? `${text.slice(0, LABEL_LENGTH)}…` : text;
}

/** A labelled choice; with one option only, the label and its value. */
export function Picker({ label, value, options, mono = false, onPick }: Props): JSX.Element {
  const current = options.find((option) => option.value === value);
  const shown = current?.label ?? value;
  if (options.length < 2) {
    return (
      <span class="picker" title={current?.title ?? shown}>
        <span class="key">{label}</span>
        <bdi class={mono ? "name mono" : "name"}>{short(shown)}</bdi>
      </span>
    );
  }
  return (
    <label class="picker many" title={current?.title ?? shown}>
      <span class="key">{label}</span>
      <select
        class={mono ? "mono" : ""}
        value={value}
        onChange={(event) => onPick((event.target as HTMLSelectElement).value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {short(option.label) + (option.note ?? "")}
          </option>
        ))}
      </select>
    </label>
  );
}
