// Values that are files: a small picture, or a name and a size.

import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { Icon } from "../ui/icon.js";
import { readPicture } from "./bytes.js";
import { bytesText } from "./words.js";

/** Types that browsers show as pictures, and that run nothing. */
const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"];
/** The largest picture that a list reads: it has many. */
const IN_LIST = 2_000_000;
/** The largest picture that is read without being asked for. */
const AT_ALL = 20_000_000;

export const isPicture = ({ type, size }, most = AT_ALL) => PICTURES.includes(type) && size <= most;

/** The URL of a picture in this page, once it is in view; null before, and for what is no picture. */
function usePicture(ref, value, most) {
  const [url, setUrl] = useState(null);
  useEffect(() => {
    if (!value.url || !isPicture(value, most)) return undefined;
    const abort = new AbortController();
    let made = null;
    const load = () => readPicture(value, abort.signal).then((blob) => {
      if (abort.signal.aborted) return;
      made = URL.createObjectURL(blob);
      setUrl(made);
      // A picture that cannot be read is a file with a name.
    }, () => {});
    const view = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      view.disconnect();
      load();
    }, { rootMargin: "200px" });
    view.observe(ref.current);
    return () => {
      view.disconnect();
      abort.abort();
      if (made) URL.revokeObjectURL(made);
      setUrl(null);
    };
  }, [value.url, value.sha256]);
  return url;
}

/** A box with a picture, or with the sign of a file. */
export function Thumbnail({ url, alt = "", kind = "" }) {
  const [broken, setBroken] = useState(null);
  return html`<span class=${`thumb ${kind}`}>${url && broken !== url
    ? html`<img src=${url} alt=${alt} onError=${() => setBroken(url)} />` : html`<${Icon} name="file" />`}</span>`;
}

/** The picture of a stored file. */
export function StoredThumbnail({ value, alt, kind, most }) {
  const ref = useRef();
  const url = usePicture(ref, value, most);
  return html`<span ref=${ref}><${Thumbnail} url=${url} alt=${alt} kind=${kind} /></span>`;
}

/** The name and the size of a file. */
export const FileName = ({ value }) => html`
  <span class="file-name"><bdi>${value.name}</bdi> <span class="muted">${bytesText(value.size)}</span></span>`;

/** A file in a list. */
export const FileCell = ({ value }) => (isPicture(value, IN_LIST)
  ? html`<span title=${value.name}><${StoredThumbnail} value=${value} alt=${value.name} most=${IN_LIST} /></span>`
  : html`<${FileName} value=${value} />`);
