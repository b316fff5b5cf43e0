/** The completion script of each shell, which asks the program for matching words. */

const bash = `_payments_sandbox() {
  local IFS=$'\\n'
  COMPREPLY=($(payments-sandbox completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1))
  if [ \${#COMPREPLY[@]} -eq 0 ]; then compopt -o default; fi
}
complete -F _payments_sandbox payments-sandbox
`

const zsh = `#compdef payments-sandbox
_payments_sandbox() {
  local -a found
  found=("\${(@f)$(payments-sandbox completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null | sed 's/:/\\\\:/g; s/\\t/:/')}")
  if [[ -n "$found" ]]; then _describe 'payments-sandbox' found; else _files; fi
}
compdef _payments_sandbox payments-sandbox
`

const fish = `function __payments_sandbox
  set -l found (payments-sandbox completion words -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c payments-sandbox -f -a '(__payments_sandbox)'
`

export const completionScripts = {
  bash: { script: bash, install: 'eval "$(payments-sandbox completion bash)"', startupFile: '~/.bashrc' },
  zsh: { script: zsh, install: 'eval "$(payments-sandbox completion zsh)"', startupFile: '~/.zshrc' },
  fish: {
    script: fish,
    install: 'payments-sandbox completion fish | source',
    startupFile: '~/.config/fish/config.fish',
  },
} as const

export type Shell = keyof typeof completionScripts
