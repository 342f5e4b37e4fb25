/** A block of a stream of events: of an event, a mark (an `id` without `data`), or a comment (neither). */
export interface Frame {
  id?: string;
  data?: string;
  retry?: string;
}

/** The end of a line. A return at the end of what has arrived may be half of a return and line feed. */
const END = /\r\n|\n|\r(?!$)/;

/**
 * The blocks of an event stream (WHATWG HTML, section 9.2), which may arrive in pieces of any size. `arrived` is called
 * with each piece. A block that the end of the stream cuts is not returned.
 */
export async function* frames(body: ReadableStream<Uint8Array>, arrived: () => void): AsyncGenerator<Frame> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  let frame: Frame = {};
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      arrived();
      const lines = (rest + decoder.decode(value, { stream: true })).split(END);
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line) read(frame, line);
        else {
          yield frame;
          frame = {};
        }
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function read(frame: Frame, line: string): void {
  const [, name, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
  if (name === "data") frame.data = frame.data === undefined ? value : `${frame.data}\n${value}`;
  else if (name === "id" || name === "retry") frame[name] = value;
}
