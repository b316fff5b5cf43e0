/** Buttons for the actions that an object allows now. The menu beside a button opens its parameters. */

import { useEffect, useState } from 'hono/jsx/dom'
import { sentence } from '../../format.js'
import { type Action, actions, attempt, trigger } from '../../store/commands.js'
import { openForm } from '../../store/dialog.js'
import { fieldsOf } from '../../store/form-schema.js'
import { Icon } from '../icon.js'
import { Button } from './controls.js'

interface ActionsOf {
  allowed: readonly string[]
  id: string
  kind: string
  /** Allowed values of parameters, if the object allows fewer than the action. */
  choices?: Readonly<Record<string, readonly string[]>>
}

/** `kind` is the kind of the object. An action of another kind, such as `dispute.open` on a charge, is shown by its full name. */
export const Actions = ({ allowed, id, kind, choices = {} }: ActionsOf) => {
  const [table, setTable] = useState<readonly Action[]>([])
  useEffect(() => void attempt(() => actions().then(setTable)), [])
  const rows = allowed.flatMap((name) => table.find((action) => action.name === name) ?? [])
  return (
    <fieldset class="actions">
      <legend class="visually-hidden">Actions</legend>
      {rows.map((action, index) => (
        <ActionButton key={action.name} action={action} id={id} kind={kind} choices={choices} first={index === 0} />
      ))}
    </fieldset>
  )
}

function labelOf(name: string, kind: string): string {
  const [object = '', verb = ''] = name.split('.')
  return sentence(object === kind ? verb : `${verb} ${object}`)
}

interface ButtonOf extends Required<Pick<ActionsOf, 'id' | 'kind' | 'choices'>> {
  action: Action
  first: boolean
}

const ActionButton = ({ action, id, kind, choices, first }: ButtonOf) => {
  const fields = fieldsOf(action.params).map((field) => {
    const own = choices[field.name]
    return own === undefined ? field : { ...field, choices: own }
  })
  const label = labelOf(action.name, kind)
  const open = () =>
    openForm<Record<string, unknown>>({
      title: action.title,
      name: action.name,
      fields,
      submit: label,
      run: (params) => trigger(action.name, id, params),
    })
  const needsMore = fields.some((field) => field.required === true)
  const tone = first ? 'primary' : 'plain'
  return (
    <span class="split">
      <Button
        tone={tone}
        title={action.title}
        onClick={() => (needsMore ? open() : attempt(() => trigger(action.name, id)))}
      >
        {label}
      </Button>
      {fields.length === 0 || needsMore ? null : (
        <Button
          tone={tone}
          accessibleName={`${label} with parameters`}
          title="Set options for this action"
          onClick={open}
        >
          <Icon name="more" />
        </Button>
      )}
    </span>
  )
}
