/** One row of the settings of the platform's behaviour. */
import type * as z from 'zod'

interface PlatformRow<Schema extends z.ZodType, Part extends object, Preset extends object> {
  /** `switch`: a flag without a value, and its negation. */
  kind: 'value' | 'switch'
  /** Parses the value from a flag, a variable, a file or a library option. */
  schema: Schema
  /** The part of the configuration that the value sets. */
  toConfig: (value: z.output<Schema>) => Part
  /** The default of that part. */
  defaults: Preset
  /** Stands for the value in the help: `<number>`. */
  placeholder?: string
  /** Short, in lower case and without the default, which is added. */
  help: string
  /** The default in the help, if its value does not say it. */
  usual?: string
  /** The value that an unset setting has in effect, if its part of the configuration is null. */
  effective?: string
  /** Only `start --help-config` lists the flag. */
  isRare?: true
  /** The help shows `--no-…`, because the default is on. */
  isOnByDefault?: true
  /** Too large for a flag or a variable, so only in the configuration file. */
  fileOnly?: true
  /** The effect, in words for users. */
  title: string
  /** The default, in words for users. */
  defaultText: string
  /** Whether the setting decides an assumption about the platform, rather than a property of the sandbox. */
  guess: boolean
}

export const setting = <Schema extends z.ZodType, Part extends object, const Preset extends object>(
  row: PlatformRow<Schema, Part, Preset>,
) => ({ ...row, fallback: null })

/** The default has the type of what the setting sets. */
type AssumedRow<Schema extends z.ZodType, Part extends object> = Pick<
  PlatformRow<Schema, Part, NoInfer<Part>>,
  'schema' | 'toConfig' | 'defaults' | 'title' | 'defaultText' | 'usual' | 'effective'
>

/** A setting that decides an assumption and stands in the configuration file only. */
export const assumption = <Schema extends z.ZodType, Part extends object>(row: AssumedRow<Schema, Part>) =>
  setting({ ...row, kind: 'value', fileOnly: true, help: plainHelp(row.title), guess: true })

/** A title as a help text: without Markdown, and in lower case unless it begins with an abbreviation. */
const plainHelp = (title: string): string =>
  title.replaceAll('`', '').replace(/^[A-Z](?![A-Z])/, (first) => first.toLowerCase())
