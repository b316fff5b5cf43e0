/** The task that the help lists, with its shortest ways from the overview. */
import type { Task } from '../../../inside/pages.js'

export const certifyTask: Task = {
  title: 'Certify your receiver',
  keys: ['g', 'c', '“the URL of your receiver”', 'Enter'],
  clicks: ['Certify', '“the URL of your receiver”', 'Certify'],
}
