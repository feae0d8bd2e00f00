import { describe, expect, it } from 'vitest'
import { decide } from '../../../src/main/agents/permissions/decide.ts'
import type { PermissionMode } from '../../../src/shared/agents/permission-modes.ts'
import type { PermissionRule } from '../../../src/shared/agents/permissions.ts'
import { allowed, asked, place, verdictOf } from './verdicts.ts'

describe('[P3] what a rule covers, and what not', () => {
  it('takes nohup.out for a file that nohup writes, perhaps through a link', () => {
    const of = (mode: PermissionMode, ...rules: string[]) =>
      verdictOf('nohup npm test', { mode, rules: ['bash: npm test', ...rules].flatMap(allowed) })
    expect(of('ask')).toMatchObject({ kind: 'ask', proposal: ['edit: nohup.out'] })
    expect(of('ask', 'edit: nohup.out').kind).toBe('allow')
    expect(of('allow-edits').kind).toBe('allow')
  })

  it('asks about a pattern that may match an option which the command itself makes a file of', () => {
    for (const name of ['./--files0-from=list', '-L', 'x=1', '@x', "'$(evil)'"])
      for (const use of ['wc ?-f*', 'eval "wc ?-f*"', 'if true; then ls [-]L; fi']) {
        asked(`echo -n ../secret > list; : > ${name}; ${use}`, 'allow-edits')
        asked(`${use} > ${name}`, 'allow-edits')
      }
    for (const command of [': > a; wc *', "echo x > 'routes/$id.tsx'; cat routes/a.tsx"])
      expect(verdictOf(command, { mode: 'allow-edits', rules: [] }).kind, command).toBe('allow')
  })

  it('judges a command in every directory that its shell may be in', () => {
    const of = (command: string, folders: readonly string[] | null) =>
      decide([{ mode: 'allow-edits', rules: [] }], { kind: 'command', command, place, folders })
        .kind
    expect(of('echo x > a', ['/code/api/src'])).toBe('allow')
    expect(of('echo x > a', ['/code/other'])).toBe('ask')
    expect(of('echo x > a', null)).toBe('ask')
    expect(of('cat a', null)).toBe('ask')
  })

  it.each([
    ['git cherry-pick *', 'git cherry-pick --strategy=x/evil HEAD~1'],
    ['git cherry-pick *', 'git cherry-pick --strat x/evil HEAD~1'],
    ['make test *', "make test --eval='$(shell touch a)'"],
    ['make test *', 'make test -kf x.mk'],
    ['make test *', 'make test SHELL=./x'],
    ['go test *', "go test -exec 'touch a' ./..."],
    ['go test *', 'go test -toolexec=./x'],
    ['npm test *', 'npm test --script-s=./x'],
    ['cargo test *', 'cargo test --config build.rustc="./x"'],
    ['mvn test *', 'mvn test exec:exec'],
    ['gradle test *', 'gradle test -I x.gradle'],
    ['just test *', 'just test --shell ./x'],
    ['npm test *', 'npm test -script-shell=./x'],
    ['make test *', 'make test --mak=x.mk'],
    ['dotnet test *', 'dotnet test -l:./x.dll'],
    ['gradle test *', 'gradle test -qIx.gradle'],
    ['mypy *', 'mypy --python-executable ./x'],
    ['pip list *', 'pip list --python ./x'],
    ['eslint *', 'eslint -o ../.bashrc src'],
    ['pytest *', 'pytest --basetemp=/home/u'],
    ['pytest *', 'pytest --junitxml ../x'],
    ['jest *', 'jest --outputFile=../x'],
    ['tsc *', 'tsc --outFile ../x'],
    ['git diff *', 'git diff --no-index /dev/null ../key'],
    // Prints two files without being told that they are none of the repository.
    ['git diff *', 'git diff /etc/hostname /etc/passwd'],
    ['git diff *', 'git diff -- ../key a'],
    ['git blame *', 'git blame --contents /etc/passwd a'],
    ['git blame *', 'git blame --ignore-revs-file=/etc/passwd a'],
    ['git blame *', 'git blame -S revs a'],
    ['git rm *', 'git rm --pathspec-from-file=/etc/passwd'],
    ['git commit *', 'git commit -F /etc/passwd'],
    ['git commit *', 'git commit -F notes'],
    ['git commit *', 'git commit -qF notes'],
    ['git commit *', 'git commit -t notes'],
    ['git commit *', 'git commit --file=notes'],
    ['git commit *', 'git commit --no-verify -m a'],
    ['git commit *', 'git commit -nm a'],
    ['git tag *', 'git tag -F notes v1'],
    ['git merge *', 'git merge -s x/evil topic'],
    // It moves the file there before it refuses to.
    ['git branch *', 'git branch -D main'],
    ['git branch *', 'git branch --delete --force main'],
    ['git branch *', 'git branch -f main HEAD~9'],
    ['git branch *', 'git branch -aM main'],
    ['git tag *', 'git tag -d v1'],
    ['git tag *', 'git tag --force v1'],
    ['git reset *', 'git reset --hard HEAD~5'],
    ['git reset *', 'git reset --har'],
    ['git switch *', 'git switch -f main'],
    ['git switch *', 'git switch --discard-changes main'],
    ['git rm *', 'git rm -rf .'],
    ['git mv *', 'git mv -f a b'],
    ['git stash list *', 'git stash clear'],
    ['git mv *', 'git mv evil .git/hooks/pre-commit'],
    ['git mv *', 'git mv evil .GIT/hooks/pre-commit'],
    ['git ls-files *', 'git ls-files -X ../list'],
    ['git *', 'git -C /code/other log'],
    ['git *', 'git --git-dir=evil log'],
    ['git *', 'git --work-tree .. status'],
    ['git log *', 'git log -O/etc/passwd'],
    ['make test *', 'make test install'],
    ['make test *', 'make test -- CC=evil'],
    ['gradle test *', 'gradle test publish'],
    ['mvn test *', 'mvn test deploy'],
    ['cargo fmt *', 'cargo fmt -- ../other/a.rs'],
    ['cargo clippy *', 'cargo clippy -- -C linker=./evil'],
    ['cargo test *', 'cargo test -- --logfile=../a'],
    ['npm test *', 'npm test --cache=../a'],
    ['git *', 'git submodule foreach git push'],
    ['git submodule *', 'git submodule --quiet foreach ./evil'],
    ['git *', 'git bisect run ./evil'],
    ['git *', 'git filter-branch --tree-filter ./evil'],
    ['git *', 'git for-each-repo --config=a push'],
    ['npm test *', 'npm test -w other'],
    ['npm test *', 'npm test --workspace=other -- a'],
    ['npm t *', 'npm t a -w other'],
    ['npm run lint *', 'npm run lint -w other'],
    ['pnpm test *', 'pnpm test -w'],
    ['pnpm test *', 'pnpm test --filter other'],
    ['pnpm test *', 'pnpm test --filter=../other'],
    ['npm test *', 'npm test --logs-dir ../a'],
    ['npm test *', 'npm test -- --import=data:text/javascript,evil'],
    // Loaded as a module, in any spelling of an address.
    ['npm test *', 'npm test -- --reporter=data:text/javascript,evil'],
    ['vitest *', 'vitest run --reporter=DATA:text/javascript,evil'],
    ['vitest *', "vitest run '--reporter= data:text/javascript,evil'"],
    ['vitest *', "vitest run '--reporter=da\tta:text/javascript,evil'"],
    ['vitest *', 'vitest run --reporter DATA:text/javascript,evil'],
    ['mocha *', 'mocha --reporter=file:evil.js'],
    ['jest *', 'jest --filter=data:text/javascript,evil'],
    ['npm test *', "npm test '$(touch pwned)'"],
    ['pnpm test *', "pnpm test '`touch pwned`'"],
    ['npm run build *', "npm run build -- -t 'a\"; touch pwned'"],
    ['vitest *', 'vitest run --changed=--output=link/x'],
    ['pnpm test *', "pnpm test --filter='[--output=a]'"],
    ['prettier *', "prettier --write '{../other,x}/*.js'"],
    ['prettier *', "prettier --write '.{.,x}/other/*.js'"],
    ['prettier *', "prettier --write '{,x}/tmp/*.js'"],
    ['prettier *', "prettier --write '{x,}/tmp/*.js'"],
    ['mocha *', "mocha '[.][.]/other/*.js'"],
    ['mocha *', "mocha '@(..)/other/*.js'"],
    ['eslint *', String.raw`eslint --fix '\.\./other/*.js'`],
    ['eslint *', String.raw`eslint -f '..\other\evil.js' a.js`],
    ['vitest *', 'vitest init browser'],
    ['biome check *', 'biome check --write .'],
    ['vitest *', 'vitest list --json=package.json'],
    ['vitest *', 'vitest list --json out.json'],
    ['go list *', 'go list -m -json evil.example/secret@latest'],
    ['gh pr list *', 'gh pr list --json title --jq env'],
    ['gh pr list *', "gh pr list --json title --jq='$ENV.TOKEN'"],
    ['gh pr list *', "gh pr list --json title '--jq=$ENV'"],
    ['prettier *', "prettier --write '.{git,x}/hooks/*.js'"],
    ['prettier *', "prettier --write '.g*/hooks/*.js'"],
    ['prettier *', "prettier --write '*/../../x.js'"],
    ['eslint *', 'eslint //host/share'],
    ['eslint *', 'eslint c:/a.js'],
    ['eslint *', "eslint 'src ../other'"],
    ['eslint *', "eslint 'src,/other'"],
    ['eslint *', 'eslint "src --fix"'],
    ['eslint *', 'eslint src/*.ts'],
    ['npx vitest *', "npx vitest '$(touch pwned)'"],
    ['npx vitest *', "npx vitest -t 'a (b)'"],
    ['npx vitest *', 'npx vitest -sh x'],
    ['npx vitest *', 'npx vitest --package=evil'],
    ['npx eslint *', 'npx eslint --rulesdir evil src'],
    ['python -m pytest *', 'python -m pytest -p evil'],
    ['npm test *', 'npm test -- -e evil'],
    ['npm test *', 'npm test -- -p evil'],
    ['npm test *', 'npm test -- -n import=data:text/javascript,evil'],
    ['npm test *', 'npm test -- -bn x'],
    ['npm test *', 'npm test -- --outputFile=../a'],
    ['npm test *', 'npm test -- /tmp/evil.test.js'],
    ['npm test *', 'npm test -- --reporter=json:/tmp/a'],
    ['npm run build *', "npm run build -- 'CC=touch evil'"],
    ['npm test *', 'npm test -sh ./evil'],
    ['uv run pytest *', 'uv run pytest --basetemp=/home/u'],
    ['pytest *', 'pytest ../other'],
    ['pytest *', 'pytest -p evil'],
    ['pytest *', 'pytest @/etc/passwd'],
    ['tsc *', 'tsc @/etc/passwd'],
    ['tsc *', 'tsc -p /tmp/evil'],
    ['jest *', `jest --config='{"globalSetup":"./evil"}'`],
    ['mocha *', 'mocha -n import=data:text/javascript,evil'],
    ['eslint *', 'eslint --rulesdir evil src'],
    ['prettier *', 'prettier --write .git/config'],
    ['phpunit *', 'phpunit --bootstrap evil.php'],
    ['pip list *', 'pip list --log ../a'],
    ['npm view *', 'npm view secret'],
    ['vitest *', 'vitest init browser'],
    ['mocha *', 'mocha init site'],
    ['docker top *', 'docker top web e'],
    // Without their values, they take what follows.
    ['gradle test *', 'gradle test --tests --tests publish'],
    ['gradle test *', 'gradle test -x --tests publish'],
    ['gradle test *', 'gradle test --tests A publish'],
    ['git show *', 'git show -Oorder'],
    ['pytest *', 'pytest -pevil'],
    ['pytest *', 'pytest -ra@b'],
    ['vitest *', 'vitest --no-color init browser'],
    ['vitest *', 'vitest -- init browser'],
    ['npx vitest *', 'npx vitest init browser'],
    // Node's debugger, which runs the code of its input.
    ['mocha *', 'mocha inspect a.test.js'],
    ['mocha *', 'mocha --bail inspect'],
    ['npx mocha *', 'npx mocha inspect'],
    ['npm test *', 'npm test -- inspect'],
    ['npm test *', 'npm test init browser'],
    // Read as one path, they stay inside.
    ['eslint *', "eslint 'a/b c/../../x'"],
    ['mocha *', 'mocha --ignore a/b,c/../../x'],
    ['vitest *', "vitest run -t 'a (b --config c)'"],
    ['npm list *', 'npm list git+ssh://host/a'],
    ['npm list *', 'npm list git@host:a'],
    ['npm list *', 'npm list owner/repository'],
    ['terraform fmt *', 'terraform fmt ../other'],
    ['rm *.tmp', 'rm /etc/a.tmp'],
    ['rm *.tmp', 'rm ~/a.tmp'],
    ['rm *.tmp', 'rm -r.tmp'],
    ["rm -r '~'", 'rm -r ~'],
    ["rm '~/a'", 'rm ~/a'],
    ["make a='~/b'", 'make a=~/b'],
    ['make *', "make a='/etc/*'"],
  ])('a rule %j does not cover %s', (rule, command) => {
    asked(command, 'ask', allowed(`bash: ${rule}`))
    const rules = allowed(`bash: ${command}`)
    expect(verdictOf(command, { rules }).kind).toBe('allow')
  })

  it.each([
    ['git log *', 'x=--output=../a; git log $x'],
    ['git log *', 'git log $(echo --output=../a)'],
    ['git log *', 'git log --{output=../a,x}'],
    ['npm test *', 'echo --script-shell=./evil | xargs npm test'],
    ['npm test *', "find . -name '--script-shell*' -exec npm test {} +"],
  ])('a rule %j does not cover what is only known when it runs: %s', (rule, command) => {
    asked(command, 'ask', [...allowed(`bash: ${rule}`), ...allowed('bash: find *')])
  })

  it.each([
    ['git status *', 'git status --short --branch'],
    ['git status *', 'git status -sb src'],
    ['git log *', 'git log --oneline -20 --since=2.weeks --stat -- src'],
    ['gh pr list *', 'gh pr list --json title,body --search "a phrase"'],
    ['prettier *', "prettier --check 'src/**/*.{ts,tsx}'"],
    ['vitest *', "vitest run -t 'adds (two) numbers'"],
    ['go list *', 'go list -m -u all'],
    ['yarn run test:unit *', 'yarn run test:unit --bail'],
    ['bun run build *', 'bun run build --watch'],
    ['git log *', "git log --format='%h %s' main..HEAD"],
    ['git log *', 'git log -S needle -p src/a.ts'],
    ['git diff *', 'git diff --stat HEAD~3'],
    ['git diff *', 'git diff origin/main...HEAD -- src test'],
    ['git diff *', 'git diff --cached --name-only --diff-filter=ACM'],
    ['git show *', 'git show HEAD:src/a.ts'],
    ['git blame *', 'git blame -L 10,20 -w src/a.ts'],
    ['git add *', 'git add -A'],
    ['git add *', 'git add src/*.ts'],
    ['git commit *', "git commit -am 'Fix the reader (#12): see docs/a.md'"],
    ['git switch *', 'git switch -c topic/a'],
    ['git stash list *', 'git stash list --format=%h'],
    ['git stash show *', 'git stash show -p'],
    ['git tag *', 'git tag --list'],
    ['git reset *', 'git reset HEAD~1'],
    ['git branch *', 'git branch -a --sort=-committerdate'],
    ['git rev-parse *', 'git rev-parse --abbrev-ref HEAD'],
    ['npm test *', 'npm test -- --run src/a.test.ts -t "a name"'],
    ['npm run lint *', 'npm run lint -- --fix src'],
    ['npm run build *', 'npm run build -w packages/a'],
    ['vitest *', 'vitest run --reporter=verbose tests/a.test.ts'],
    ['jest *', 'jest --runInBand --coverage src'],
    ['pytest *', 'pytest -xvs -k "a and b" tests/test_a.py::test_b'],
    ['pytest *', 'pytest -q --tb=short -n 4'],
    ['tsc *', 'tsc --noEmit -p src/main'],
    ['eslint *', 'eslint --ext .ts,.tsx --max-warnings 0 src'],
    ['prettier *', 'prettier --check "src/**/*.ts"'],
    ['npx vitest *', 'npx vitest run src/a.test.ts -t "a name"'],
    ['npx tsc *', 'npx tsc --noEmit -p src/main'],
    ['git log *', 'git log -Sfoo --oneline'],
    ['git log *', "git log -G'a (b|c)+' -L1,5:src/a.ts"],
    ['git blame *', 'git blame -L10,20 src/a.ts'],
    ['pytest *', 'pytest -ra -nauto'],
    ['rspec *', 'rspec -fd spec/a_spec.rb'],
    ['mypy *', 'mypy -p package'],
    ['ruff check *', 'ruff check . --output-format concise'],
    ['npx eslint *', 'npx eslint --cache src'],
    ['gradle test *', 'gradle test --tests com.a.FooTest --info'],
    ['./gradlew test *', "./gradlew test --tests '*FooTest.bar'"],
    ['./gradlew build *', './gradlew build -x test'],
    ['pnpm exec eslint *', 'pnpm exec eslint --fix src'],
    ['python3 -m pytest *', "python3 -m pytest -xq -k 'a and not b' tests/test_a.py::test_b"],
    ['bundle exec rspec *', 'bundle exec rspec spec/a_spec.rb:12'],
    ['poetry run mypy *', 'poetry run mypy src'],
    ['vitest *', 'vitest run -t "doesn\'t fail"'],
    ['go test *', "go test -run '^TestA$|TestB' ./..."],
    ['ruff check *', 'ruff check --fix src'],
    ['cargo test *', 'cargo test -p a reader::tests -- --nocapture --test-threads=1'],
    ['cargo clippy *', 'cargo clippy --all-targets -- -D warnings'],
    ['cargo fmt *', 'cargo fmt -- --check'],
    ['go test *', 'go test -race -run TestA -count=1 ./...'],
    ['make test *', 'make test -j8 -k'],
    ['gradle test *', 'gradle test --info'],
    ['docker logs *', 'docker logs -f --tail 50 web'],
    ['gh pr view *', 'gh pr view 5 --json title,body'],
  ])('a rule %j covers %s, and is proposed for it', (rule, command) => {
    expect(verdictOf(command, { rules: allowed(`bash: ${rule}`) }).kind).toBe('allow')
    expect(verdictOf(command, { rules: [] })).toMatchObject({ proposal: [`bash: ${rule}`] })
  })

  it.each([
    'yarn run concurrently tsc',
    'bun run git log',
    'npm view secret',
    'npx git log',
    'npx cowsay',
    'biome start',
    'ruff server',
    'vitest init browser',
    'git checkout -b topic/a',
    'git checkout src',
    'git restore --staged src',
    'git stash',
    'git stash pop',
    'git stash drop',
  ])('no rule with a star is proposed for what is no test, script or list: %s', (command) => {
    expect(verdictOf(command, { rules: [] })).toMatchObject({ proposal: [`bash: ${command}`] })
  })

  it('asks beside "bash: *" about what may hide what another rule forbids, as allow-all does', () => {
    const rules: PermissionRule[] = [
      ...allowed('bash: *'),
      { effect: 'deny', rule: 'bash: git push *' },
    ]
    for (const command of ['f() { git push; }; f', 'flock lock git push', 'git $x', '(( a[b] ))'])
      asked(command, 'ask', rules)
    for (const command of ['flock lock make', 'rm -rf dist', 'cat /etc/hostname'])
      expect(verdictOf(command, { rules }).kind, command).toBe('allow')
    expect(verdictOf('git push', { rules }).kind).toBe('deny')
    expect(verdictOf('f() { ls; }; f', { rules: allowed('bash: *') }).kind).toBe('allow')
  })

  it('checks no more parts of a command than can be checked in a moment, and asks about the others', () => {
    const many = Array.from({ length: 2_500 }, (_, at) => `echo ${at}`).join('\n')
    asked(many)
    asked(many, 'allow-all', [{ effect: 'deny', rule: 'bash: git push *' }])
    expect(verdictOf(many, { rules: [], mode: 'allow-all' }).kind).toBe('allow')
    const fewer = many.split('\n').slice(0, 1_000).join('\n')
    expect(verdictOf(fewer, { rules: [] }).kind).toBe('allow')
    const words = ' a'.repeat(20_000)
    for (const command of [`cat${words}`, 'env '.repeat(20_000), 'sudo '.repeat(20_000)]) {
      const start = performance.now()
      asked(command)
      asked(command, 'allow-all', [{ effect: 'deny', rule: 'bash: git push *' }])
      expect(performance.now() - start, command.slice(0, 4)).toBeLessThan(5_000)
    }
  })

  it('covers a command only where it runs within the working directory', () => {
    const rules = ['npm test *', 'rm -rf dist', 'cd ..', 'git log *'].flatMap((rule) =>
      allowed(`bash: ${rule}`),
    )
    for (const command of ['npm test', 'rm -rf dist', 'git log -p']) {
      const request = { kind: 'command', command } as const
      const of = (cwd: string, folders?: string[] | null) =>
        decide([{ mode: 'ask', rules }], {
          ...request,
          place: { ...place, cwd },
          ...(folders !== undefined && { folders }),
        })
      expect(of('/code/api/src').kind).toBe('allow')
      expect(of('/code/other')).toMatchObject({ kind: 'ask', proposal: [] })
      expect(of('/code/api', ['/code/other']).kind).toBe('ask')
      expect(of('/code/api', null).kind).toBe('ask')
      expect(verdictOf(`cd .. && ${command}`, { rules }).kind).toBe('ask')
    }
    const everything = allowed('bash: *')
    expect(verdictOf('npm test', { rules: everything, cwd: '/code/other' }).kind).toBe('allow')
  })

  it('sees a change of directory that a command in a loop runs', () => {
    for (const cd of ['eval "cd .git"', 'command cd .git', 'eval \'eval "cd .git"\''])
      asked(`for i in 1 2; do echo evil > config; ${cd}; done`, 'allow-edits')
    asked('for i in 1 2; do echo evil > permissions.json; eval "cd .shiplog"; done', 'allow-edits')
    asked('for i in 1 2; do cat a; eval "cd .."; done')
  })

  it('covers no short option with which Git runs or writes what it names', () => {
    asked('git grep -O./evil x', 'ask', allowed('bash: git grep *'))
    asked('git grep -nO./evil x', 'ask', allowed('bash: git grep *'))
    asked('git format-patch -o /outside HEAD~1', 'ask', allowed('bash: git format-patch *'))
    asked('git difftool -x ./evil', 'ask', allowed('bash: git difftool *'))
    asked('git rebase -x ./evil HEAD~1', 'ask', allowed('bash: git rebase *'))
    asked('git clone -u ./evil a', 'ask', allowed('bash: git *'))
    const rules = allowed('bash: git grep *')
    expect(verdictOf('git grep -n x', { rules }).kind).toBe('allow')
    expect(verdictOf('git format-patch HEAD~1', { rules })).toMatchObject({
      proposal: ["bash: git format-patch 'HEAD~1'"],
    })
  })

  it('covers files whose names begin with a dot', () => {
    const edit = (path: string, rule: string, effect: 'allow' | 'deny' = 'deny') =>
      decide([{ mode: 'allow-edits', rules: [{ effect, rule }] }], { kind: 'edit', path, place })
        .kind
    expect(edit('.github/workflows/ci.yml', 'edit: **')).toBe('deny')
    expect(edit('.env', 'edit')).toBe('deny')
    expect(edit('a/.b/c.yml', 'edit: **/*.yml')).toBe('deny')
    expect(edit('a/.env', 'edit: a/[.]env')).toBe('deny')
    expect(edit('a2.ts', 'edit: a{1..3}.ts')).toBe('deny')
    expect(edit('axts', 'edit: a.ts')).toBe('allow')
    expect(edit('SECRETS/a', 'edit: secrets/**')).toBe('deny')
    expect(edit('cafe\u0301/a', 'edit: Caf\u00e9/**')).toBe('deny')
    expect(verdictOf('echo x > SECRETS/a', { mode: 'allow-edits' }).kind).toBe('deny')
    expect(verdictOf('GIT push', { mode: 'allow-all' }).kind).toBe('deny')
  })

  it('in a rule that allows, the case of letters counts', () => {
    const rules = allowed('edit: docs/**')
    const edit = (path: string) => decide([{ mode: 'ask', rules }], { kind: 'edit', path, place })
    expect(edit('docs/a').kind).toBe('allow')
    expect(edit('DOCS/a').kind).toBe('ask')
  })

  it('proposes a rule that matches the file, whatever its name', () => {
    for (const path of ['a/[x].ts', 'a*b', 'a/(b)/c!', '.a/?', 'routes/[...all].tsx']) {
      const request = { kind: 'edit' as const, path, place }
      const verdict = decide([{ mode: 'ask', rules: [] }], request)
      const [rule = ''] = verdict.kind === 'ask' ? verdict.proposal : []
      expect(rule, path).toMatch(/^edit: /)
      expect(decide([{ mode: 'ask', rules: allowed(rule) }], request).kind, rule).toBe('allow')
    }
  })
})
