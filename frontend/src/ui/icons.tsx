// Small drawings; the words beside them say the same.

import type { ComponentChildren, JSX } from "preact";
import type { Verdict } from "../api/types";

function Icon({ size = 11, children }: { size?: number; children: ComponentChildren }): JSX.Element {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 11 11"
      fill="none"
      stroke="currentColor"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
}

const VERDICT_PATHS: Readonly<Record<Verdict, JSX.Element>> = {
  fix: <path d="M5.5 1v5.4M5.5 8.4v1.4" stroke-width="1.8" />,
  expected: <path d="M1.5 5.8l2.6 2.7L9.5 2.8" stroke-width="1.7" />,
  artifact: <circle cx="5.5" cy="5.5" r="4.2" stroke-width="1.3" stroke-dasharray="2 1.6" />,
  undecided: <path d="M3.2 3.6c.2-2.6 4.6-2.4 4.5.1 0 1.7-2.2 1.6-2.2 3.3M5.5 8.7v1.2" stroke-width="1.5" />,
};

export function VerdictIcon({ verdict }: { verdict: Verdict }): JSX.Element {
  return <Icon>{VERDICT_PATHS[verdict]}</Icon>;
}

export function YesIcon(): JSX.Element {
  return (
    <Icon size={14}>
      <circle cx="5.5" cy="5.5" r="4.8" stroke-width="0.8" opacity="0.6" />
      <path d="M3.2 5.7l1.6 1.6 3-3.3" stroke-width="1.1" />
    </Icon>
  );
}

export function NoIcon(): JSX.Element {
  return (
    <Icon size={14}>
      <circle cx="5.5" cy="5.5" r="4.8" stroke-width="0.9" stroke-dasharray="1.6 1.3" />
      <path d="M3.4 5.5h4.2" stroke-width="1.1" />
    </Icon>
  );
}

export function NoteIcon(): JSX.Element {
  return (
    <Icon size={14}>
      <path d="M5.5 0.9l4.8 8.6H0.7z" stroke-width="0.9" stroke-linejoin="round" />
      <path d="M5.5 4v2.7M5.5 7.6v0.9" stroke-width="1" />
    </Icon>
  );
}

export function Chevron(): JSX.Element {
  return (
    <svg
      class="chevron"
      width="8"
      height="12"
      viewBox="0 0 8 12"
      fill="none"
      stroke="currentColor"
      aria-hidden="true"
    >
      <path d="M1.5 1.5L6 6l-4.5 4.5" stroke-width="1.6" />
    </svg>
  );
}

export function Brand(): JSX.Element {
  return (
    <svg width="20" height="16" viewBox="0 0 20 16" fill="currentColor" aria-hidden="true">
      <rect x="0" y="1" width="11" height="4" rx="1" />
      <rect x="6" y="6.5" width="14" height="3" rx="1" opacity="0.45" />
      <rect x="3" y="11" width="8" height="4" rx="1" />
    </svg>
  );
}
