export function switchOf(
  isOn: (id: number) => boolean,
  pass?: (id: number) => void,
  isAsked?: (id: number) => boolean,
): (id: number) => boolean
