/** The ways to make something, at the head of a view. */
import { type KindName, kindOf } from '../../store/creation.js'
import { link } from '../../store/route.js'

export const NewButtons = ({ kinds }: { kinds: readonly KindName[] }) => (
  <>
    {kinds.map((name, index) => (
      <a key={name} class={`button${index === 0 ? ' primary' : ''}`} href={link('new', name)}>
        {kindOf(name).title}
      </a>
    ))}
  </>
)
