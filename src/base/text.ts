/** What is done to texts of any length, each in one pass: an expression that ends in `+$` begins anew at every character. */

/** `https://example.com//` without its last slashes. */
export function withoutTrailing(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}

/** `1000000` becomes `1,000,000`. */
export function inThousands(digits: string): string {
  const first = digits.length % 3
  const groups = first === 0 ? [] : [digits.slice(0, first)]
  for (let at = first; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3))
  return groups.join(',')
}

/** As much of it as takes at most so many bytes of UTF-8. */
export function withinBytes(text: string, most: number): string {
  if (text.length * 3 <= most) return text
  return text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(most)).read)
}
