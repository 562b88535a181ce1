import { Fragment, type ComponentChildren, type JSX } from "preact";
import type { Report, Warning } from "../../api/types";
import { CodeBlock } from "../../ui/code_block";
import { NoIcon, NoteIcon, YesIcon } from "../../ui/icons";
import { Sentence } from "../../ui/text";

function Block({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <section class="rail-block">
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** Where a line of Python may be broken so that it can still be read. */
const BREAKS = /(?<=[=(,.])/;

/** Code in a narrow column: long lines wrap, and go on deeper than they began. */
function NarrowCode({ text }: { text: string }): JSX.Element {
  return (
    <CodeBlock text={text} class="narrow">
      {text.split("\n").map((line, index) => {
        const indent = line.length - line.trimStart().length + 2;
        return (
          <span key={index} style={{ paddingLeft: `${indent}ch`, textIndent: `-${indent}ch` }}>
            {line.split(BREAKS).map((part, at) => (
              <Fragment key={at}>
                {part}
                <wbr />
              </Fragment>
            ))}
            {"\n"}
          </span>
        );
      })}
    </CodeBlock>
  );
}

function Item(props: {
  look: string;
  icon: JSX.Element;
  title: string;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <div class={`trust ${props.look}`}>
      {props.icon}
      <p>
        {props.title !== "" && <b>{props.title.replace(/\.$/, "")}.</b>} {props.children}
      </p>
    </div>
  );
}

const ACRONYMS: Readonly<Record<string, string>> = { gpu: "GPU", json: "JSON", utf8: "UTF-8" };

function warningTitle(warning: Warning): string {
  const words = warning.kind.split("_").map((word) => ACRONYMS[word] ?? word);
  const title = words.join(" ");
  return title.charAt(0).toUpperCase() + title.slice(1);
}

export function Warnings({ warnings }: { warnings: readonly Warning[] }): JSX.Element | null {
  if (warnings.length === 0) return null;
  return (
    <Block title="Read with care">
      {warnings.map((warning, index) => (
        <Item key={index} look="care" icon={<NoteIcon />} title={warningTitle(warning)}>
          <Sentence text={warning.message} />{" "}
          <span class="dim">
            <Sentence text={warning.advice} />
          </span>
        </Item>
      ))}
    </Block>
  );
}

/** What the trace can tell, what not, what limits trust in it, and how to record a better one. */
export function Rail({ report }: { report: Report }): JSX.Element {
  const { can, cannot, record_better } = report.trust;
  return (
    <aside class="rail" aria-label="What this trace can tell">
      {can.length > 0 && (
        <Block title="What this trace can tell">
          {can.map((item) => (
            <Item key={item.title} look="can" icon={<YesIcon />} title={item.title}>
              <Sentence text={item.text} />
            </Item>
          ))}
        </Block>
      )}
      {cannot.length > 0 && (
        <Block title="What it cannot">
          {cannot.map((item) => (
            <Item key={item.title} look="cannot" icon={<NoIcon />} title={item.title}>
              <Sentence text={item.text} /> {item.record !== null && <code>{item.record}</code>}
            </Item>
          ))}
        </Block>
      )}
      <Warnings warnings={report.warnings} />
      {record_better !== null && (
        <Block title="Record it better next time">
          <NarrowCode text={record_better} />
        </Block>
      )}
    </aside>
  );
}
