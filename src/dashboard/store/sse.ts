/** Reads server-sent events out of a stream of text. */

export interface ServerEvent {
  id: string | null
  data: string
}

/** Feed it pieces as they come; it calls back for each whole event, and for nothing but a comment with null. */
export function createEventParser(onEvent: (event: ServerEvent) => void): (piece: string) => void {
  let rest = ''
  let id: string | null = null
  let data: string[] = []
  const line = (text: string) => {
    if (text === '') {
      if (data.length > 0) onEvent({ id, data: data.join('\n') })
      data = []
      return
    }
    const colon = text.indexOf(':')
    const field = colon < 0 ? text : text.slice(0, colon)
    const value = colon < 0 ? '' : text.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    if (field === 'id') id = value
  }
  return (piece) => {
    const lines = (rest + piece).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const text of lines) line(text)
  }
}
