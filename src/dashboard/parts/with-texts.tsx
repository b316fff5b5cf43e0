/** Pages whose translations are loaded with the first of them. */
import { useState } from 'hono/jsx/dom'
import { addTexts, language } from '../language.js'
import { useLayoutEffect } from '../store/hooks.js'
import { focusForm, type View } from '../store/route.js'

export const withTexts =
  (load: Parameters<typeof addTexts>[0]) =>
  (Page: View['view']): View['view'] =>
  (props) => {
    const [isReady, setReady] = useState(language === 'en')
    useLayoutEffect(() => void addTexts(load).then(() => setReady(true)), [])
    useLayoutEffect(() => void focusForm(), [isReady])
    return isReady ? <Page {...props} /> : <p class="loading">Loading…</p>
  }
