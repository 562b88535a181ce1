// Order, names and stakes of findings.

import type { Comparison, Finding, Report } from "../api/types";
import { time } from "./format";

export interface Listed {
  /** The finding's name in the address: rule, step, and a number where both repeat. */
  key: string;
  finding: Finding;
  /** Length of its bar: the share of the largest stake; null where nothing is at stake or known. */
  bar: number | null;
  stake: string;
  note: string;
}

/** Known stakes first, largest first; then unknown ones; then those with nothing at stake. */
function rank(finding: Finding): number {
  const stake = finding.at_stake_us;
  if (stake === null) return 0;
  return stake > 0 ? stake : finding.verdict === "artifact" ? -2 : -1;
}

function byStake(a: Finding, b: Finding): number {
  return rank(b) - rank(a) || (b.looks_like_us ?? 0) - (a.looks_like_us ?? 0);
}

/** The amount in figures; where nothing tells how much of it is lost, at least how much it looks like. */
function stakeText({ at_stake_us, looks_like_us, verdict }: Finding): [string, string | null] {
  if (at_stake_us !== null) return [time(at_stake_us), null];
  if (verdict === "undecided" && looks_like_us) return [`${time(looks_like_us)},`, "gain unknown"];
  return ["Stake", "cannot be told"];
}

function stakeNote(finding: Finding, unnumbered: boolean): string {
  const where = finding.step === null ? null : `in step ${finding.step}`;
  const looks = finding.looks_like_us;
  if (finding.at_stake_us === 0)
    return looks ? [`looks like ${time(looks)}`, where].filter(Boolean).join(" ") : "nothing at stake";
  if (where !== null) return where;
  return unnumbered ? "in the recording" : "per step";
}

export function listFindings(report: Pick<Report, "findings" | "steps">): Listed[] {
  return list(
    report.findings,
    report.steps.some((step) => step.number === null),
  );
}

/** The findings about two runs. */
export function listComparisonFindings({ findings, steps }: Comparison): Listed[] {
  return list(findings, steps.typical.candidate === null && steps.typical.baseline === null);
}

/** unnumbered: the figures are of whole recordings, which are not split into steps. */
function list(findings: readonly Finding[], unnumbered: boolean): Listed[] {
  const sorted = [...findings].sort(byStake);
  const largest = Math.max(0, ...sorted.map((finding) => finding.at_stake_us ?? 0));
  const seen = new Map<string, number>();
  return sorted.map((finding) => {
    const name = finding.step === null ? finding.rule : `${finding.rule}@${finding.step}`;
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    const stake = finding.at_stake_us;
    const [amount, why] = stakeText(finding);
    return {
      key: times === 1 ? name : `${name}~${times}`,
      finding,
      bar: stake !== null && stake > 0 ? stake / largest : null,
      stake: amount,
      note: why ?? stakeNote(finding, unnumbered),
    };
  });
}

/** The finding that a rule's mention leads to; the one whose pill has these words, if several. */
export function findingOf(listed: readonly Listed[], rule: string | null, pill?: string): string | null {
  const same = listed.filter((entry) => entry.finding.rule === rule);
  const exact = same.find((entry) => pill !== undefined && entry.finding.pill === pill);
  return (exact ?? same[0])?.key ?? null;
}
