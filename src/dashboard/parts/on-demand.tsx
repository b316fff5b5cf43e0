/** Pages that are loaded with the first of them, and with the texts that only they have. */
import { addTexts } from '../language.js'
import { useLayoutEffect, useState } from '../store/hooks.js'
import { focusForm, type View } from '../store/route.js'

type Page = View['view']

export function onDemand<Name extends string>(
  load: () => Promise<Readonly<Record<Name, Page>>>,
  texts?: Parameters<typeof addTexts>[0],
): (name: Name) => Page {
  let pages: Readonly<Record<Name, Page>> | undefined
  return (name) => (props) => {
    const [isLoaded, setLoaded] = useState(pages !== undefined)
    const [failed, setFailed] = useState<{ error: unknown } | undefined>(undefined)
    useLayoutEffect(() => {
      if (pages !== undefined) return
      Promise.all([load(), texts && addTexts(texts)]).then(
        ([loaded]) => {
          pages = loaded
          setLoaded(true)
        },
        (error: unknown) => setFailed({ error }),
      )
    }, [])
    useLayoutEffect(() => void focusForm(), [isLoaded])
    // The frame says that this page cannot be shown, with a way back.
    if (failed !== undefined) throw failed.error
    const Loaded = pages?.[name]
    return Loaded === undefined ? <p class="loading">Loading…</p> : <Loaded {...props} />
  }
}
