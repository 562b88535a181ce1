import type { JSX } from "preact";
import type { Theme } from "../state/use_theme";
import { Brand } from "../ui/icons";

interface Props {
  theme: Theme;
  onTheme: () => void;
  onHelp: () => void;
}

export function AppBar({ theme, onTheme, onHelp }: Props): JSX.Element {
  const other = theme === "dark" ? "light" : "dark";
  return (
    <nav class="app-bar" aria-label="Explain">
      <span class="brand">
        <Brand />
        Explain
      </span>
      <span class="tabs">
        <span class="tab" aria-current="page">
          Overview
        </span>
      </span>
      <span class="spacer" />
      <button
        type="button"
        class="tool"
        title={`Show in ${other} colours`}
        aria-label={`${other} theme`}
        onClick={onTheme}
      >
        ◐
      </button>
      <button type="button" class="tool" title="Keys" aria-label="Keys" onClick={onHelp}>
        ?
      </button>
    </nav>
  );
}
