import type { JSX } from "preact";
import type { Story } from "../../model/timeline/story";
import { Sentence } from "../../ui/text";
import { VERDICT_WORDS } from "../../ui/verdict";

interface Props {
  stories: readonly Story[];
  /** Findings that have no event to show. */
  others: number;
  shown: number | null;
  onShow: (story: Story) => void;
}

function Note({ story }: { story: Story }): JSX.Element {
  return (
    <small>
      {VERDICT_WORDS[story.verdict]}: <b>{story.stake}</b> {story.note}
    </small>
  );
}

/** The findings that have a place on the timeline, with the numbers that they have there. */
export function StoryList({ stories, others, shown, onShow }: Props): JSX.Element | null {
  if (stories.length === 0) {
    const told = others === 0 ? "No rule found anything." : "No finding of this run rests on single events.";
    return <p class="tl-story-none">{told}</p>;
  }
  return (
    <ol class="tl-story" aria-label="Findings on the timeline">
      {stories.map((story) => (
        <li key={story.number}>
          <button
            type="button"
            class={shown === story.number ? "shown" : ""}
            title={story.finding.title}
            onClick={() => onShow(story)}
          >
            <span class={`tl-number ${story.verdict}`}>{story.number}</span>
            <span class="tl-told">
              <b>
                <Sentence text={story.finding.title} />
              </b>
              <Note story={story} />
            </span>
          </button>
        </li>
      ))}
    </ol>
  );
}
