import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { onAddressChange, readAddress, replaceAddress } from "./host";
import { mentionsPlace, parsePlace, writePlace, type Place } from "./place";

export type Go = (patch: Partial<Place>) => void;

/**
 * Where the reader is, kept in the address, and how to go elsewhere. While the page was out of sight the
 * address may have lost its keys; it gets them back.
 */
export function usePlace(visible: boolean): [Place, Go] {
  const [place, setPlace] = useState(() => parsePlace(readAddress()));
  const current = useRef(place);
  const go = useCallback<Go>((patch) => {
    current.current = { ...current.current, ...patch };
    replaceAddress(writePlace(readAddress(), current.current));
    setPlace(current.current);
  }, []);
  useEffect(
    () =>
      onAddressChange(() => {
        const address = readAddress();
        if (!mentionsPlace(address)) return;
        current.current = parsePlace(address);
        setPlace(current.current);
      }),
    [],
  );
  useEffect(() => {
    if (visible && !mentionsPlace(readAddress())) go({});
  }, [visible]);
  return [place, go];
}
