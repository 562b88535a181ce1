import type { ComponentChildren, JSX } from "preact";
import type { ThemeSwitch } from "../state/use_theme";
import { Brand } from "../ui/icons";
import { SCREENS, type Screen } from "./screens";

interface Props {
  shown: Screen;
  onScreen: (screen: Screen) => void;
  theme: ThemeSwitch;
  onTheme: () => void;
  onHelp: () => void;
  onSearch: () => void;
  /** Further tools, before the others. */
  children?: ComponentChildren;
}

const THEME_WORDS = {
  around: { icon: "◐", state: "Colours follow TensorBoard", press: "follow TensorBoard" },
  light: { icon: "☀", state: "Light colours", press: "show light colours" },
  dark: { icon: "☾", state: "Dark colours", press: "show dark colours" },
} as const;

export function AppBar({ shown, onScreen, theme, onTheme, onHelp, onSearch, children }: Props): JSX.Element {
  const { icon, state } = THEME_WORDS[theme.chosen ?? "around"];
  const next = THEME_WORDS[theme.next ?? "around"].press;
  return (
    <nav class="app-bar" aria-label="Explain">
      <span class="brand">
        <Brand />
        Explain
      </span>
      <span class="tabs">
        {SCREENS.map((screen) => (
          <button
            key={screen.id}
            type="button"
            class="tab"
            aria-current={screen === shown ? "page" : undefined}
            onClick={() => onScreen(screen)}
          >
            {screen.label}
          </button>
        ))}
      </span>
      <span class="spacer" />
      <button
        type="button"
        class="tool search-tool"
        title="Search what this trace contains (/)"
        onClick={onSearch}
      >
        Search… <kbd aria-hidden="true">/</kbd>
      </button>
      {children}
      <button
        type="button"
        class="tool"
        title={`${state}. Press to ${next}.`}
        aria-label={`${state}; ${next}`}
        onClick={onTheme}
      >
        {icon}
      </button>
      <button type="button" class="tool" title="Keys and words" aria-label="Keys and words" onClick={onHelp}>
        ?
      </button>
    </nav>
  );
}
