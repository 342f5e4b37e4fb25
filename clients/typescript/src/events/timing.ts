/** Times of a stream of events, in milliseconds. */
export interface EventTiming {
  /** A stream that has delivered nothing by then is one that a proxy holds back: the client polls instead. */
  first: number;
  /** A stream that delivers nothing for so long is dead: the service sends a comment each 15 s. */
  silence: number;
  /** The pause before another attempt, which doubles with each failure in a row, up to `longest`. */
  retry: number;
  longest: number;
  /** The wait of a poll for events. */
  poll: number;
  /** A client that polls tries a stream again after so long. */
  again: number;
  /** The interval at which a visible tab asks whether the tab with the stream is alive. */
  check: number;
}

export const TIMING: EventTiming = {
  first: 5_000,
  silence: 40_000,
  retry: 2_000,
  longest: 30_000,
  poll: 25_000,
  again: 300_000,
  check: 4_000,
};
