/** An address that leads nowhere. */
import { Empty, Head } from '../parts/layout.js'
import { link } from '../store/route.js'

export const NotFoundView = () => (
  <>
    <Head title="Nothing here" />
    <Empty title="This address leads to no view.">
      Go to the <a href={link()}>overview</a>.
    </Empty>
  </>
)
