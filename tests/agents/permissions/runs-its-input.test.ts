/** A rule for a program that runs what it reads would cover every input. */
import { describe, expect, it } from 'vitest'
import { verdictOf } from './verdicts.ts'

describe('no rule is proposed for a program that runs its input, which no rule says', () => {
  it.each([
    '.venv/bin/python -',
    '.venv/bin/python',
    "/usr/bin/python3 -c 'a'",
    './node_modules/.bin/tsx',
    'python --version -i',
    'python manage.py shell',
    'docker compose run --rm web python manage.py shell',
    'php artisan tinker',
    'python /dev/stdin',
    'rails console',
    'rails runner -',
    'docker compose exec -T db psql -U postgres',
    'docker exec -i db mysql -uroot',
    'docker exec -i web sh -s',
    'docker compose exec -T web python -',
    'poetry run python -',
    'make -f -',
    'pwsh',
    'gawk -f x',
    'm4',
    'patch -p1',
    'git apply --index',
    'git am',
    'bundle exec irb',
  ])('%j', (command) => {
    expect(verdictOf(command, { rules: [] })).toMatchObject({ kind: 'ask', proposal: [] })
  })

  it.each([
    'python manage.py migrate',
    '.venv/bin/python manage.py migrate',
    'docker compose exec web python manage.py migrate',
    'docker run --rm node npm test',
    'git apply a.patch',
    'git commit -F -',
    'node --version',
    '.venv/bin/python --version',
    'bash scripts/a.sh',
  ])('but it is for %j', (command) => {
    expect(verdictOf(command, { rules: [] })).toMatchObject({ proposal: [`bash: ${command}`] })
  })
})

it.each(['docker build .', 'go run .'])('a rule is proposed about the folder: %s', (command) => {
  expect(verdictOf(command, { rules: [] })).toMatchObject({ proposal: [`bash: ${command}`] })
})
