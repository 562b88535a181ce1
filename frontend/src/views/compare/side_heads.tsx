import type { JSX } from "preact";

/** The heads of four columns: events and time, of A and of B. */
export function SideHeads(): JSX.Element {
  return (
    <>
      {["Events A", "B", "Time A", "B"].map((head, column) => (
        <th key={column} scope="col" class="num">
          {head}
        </th>
      ))}
    </>
  );
}
