/** Pages that are loaded with the first of them, and with the texts that only they have. */
import { useState } from 'hono/jsx/dom'
import { addTexts } from '../language.js'
import { attempt } from '../store/commands.js'
import { useLayoutEffect } from '../store/hooks.js'
import { focusForm, type View } from '../store/route.js'

type Page = View['view']

export const onDemand =
  <Name extends string>(load: () => Promise<Readonly<Record<Name, Page>>>, texts?: Parameters<typeof addTexts>[0]) =>
  (name: Name): Page =>
  (props) => {
    const [Loaded, setLoaded] = useState<Page | undefined>(undefined)
    useLayoutEffect(
      () =>
        void attempt(async () => {
          const [pages] = await Promise.all([load(), texts && addTexts(texts)])
          setLoaded(() => pages[name])
        }),
      [],
    )
    useLayoutEffect(() => void focusForm(), [Loaded])
    return Loaded === undefined ? <p class="loading">Loading…</p> : <Loaded {...props} />
  }
