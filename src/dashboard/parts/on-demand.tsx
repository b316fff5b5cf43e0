/** Pages that are loaded with the first of them, and with the texts that only they have. */
import { useState } from 'hono/jsx/dom'
import { addTexts } from '../language.js'
import { useLayoutEffect } from '../store/hooks.js'
import { focusForm, type View } from '../store/route.js'

type Page = View['view']

export const onDemand =
  <Name extends string>(load: () => Promise<Readonly<Record<Name, Page>>>, texts?: Parameters<typeof addTexts>[0]) =>
  (name: Name): Page =>
  (props) => {
    const [Loaded, setLoaded] = useState<Page | undefined>(undefined)
    const [failed, setFailed] = useState<{ error: unknown } | undefined>(undefined)
    useLayoutEffect(
      () =>
        void Promise.all([load(), texts && addTexts(texts)]).then(
          ([pages]) => setLoaded(() => pages[name]),
          (error: unknown) => setFailed({ error }),
        ),
      [],
    )
    useLayoutEffect(() => void focusForm(), [Loaded])
    // The frame says that this page cannot be shown, with a way back.
    if (failed !== undefined) throw failed.error
    return Loaded === undefined ? <p class="loading">Loading…</p> : <Loaded {...props} />
  }
