/** Short messages at the edge of the page, announced to screen readers. */
import { dismiss, toasts } from '../../store/toasts.js'
import { useValue } from '../../store/value.js'
import { Button, IconButton } from '../forms/controls.js'
import { FailureDetails } from '../layout.js'

export const Toasts = () => {
  const shown = useValue(toasts)
  return (
    <div class="toasts" role="status" aria-live="polite">
      {shown.map(({ id, tone, text, failure, action }) => (
        <div key={id} class={`toast ${tone}`}>
          <div>
            <p>{text}</p>
            {failure === undefined ? null : <FailureDetails error={failure} />}
          </div>
          {action === undefined ? null : (
            <Button
              onClick={() => {
                dismiss(id)
                action.run()
              }}
            >
              {action.label}
            </Button>
          )}
          <IconButton icon="close" accessibleName="Dismiss" onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  )
}
