#!/usr/bin/env python3
"""Sees that all places agree about the version: meson.build, config.hpp, CMakeLists.txt, the changelog, and the tag of a release.

CHANGELOG.md has the form of keep-a-changelog: `## Unreleased`, then the releases, newest first, as in `## 1.2.0 - 2027-01-31`; below each
of them sections `### Added` and so on, with lists. Prints TAP.
"""
import datetime
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / 'test/support'))
import tap

SECTIONS = ('Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security')


def read(path):
    return (ROOT / path).read_text()


def version_in(path, pattern):
    return '.'.join(re.search(pattern, read(path), re.M | re.S).groups())


VERSION = version_in('meson.build', r"^project\('tessera'.*?version: '([\d.]+)'")


def order(version):
    return tuple(map(int, version.split('.')))


def parts_of(changelog):
    """[(heading, text)]: what is unreleased, and the releases."""
    pieces = re.split(r'^## (.*)$', changelog, flags=re.M)
    return list(zip(pieces[1::2], pieces[2::2]))


def releases_of(changelog):
    """[(version, date)]; headings of another form are left out."""
    found = [re.fullmatch(r'\[?(\d+\.\d+\.\d+)\]? - (\d{4}-\d\d-\d\d)', heading) for heading, _ in parts_of(changelog)]
    return [match.groups() for match in found if match]


def unreleased_in(changelog):
    """What is written down as unreleased."""
    heading, text = (parts_of(changelog) or [('', '')])[0]
    return text.strip() if heading.strip('[]') == 'Unreleased' else ''


def problems_of_part(heading, text):
    """What is wrong with one release, or with what is unreleased."""
    pieces = re.split(r'^### (.*)$', text, flags=re.M)
    names = pieces[1::2]
    yield from (f'{heading}: no section is called {name}' for name in names if name not in SECTIONS)
    yield from (f'{heading}: {name} is there more than once' for name in sorted(set(names)) if names.count(name) > 1)
    yield from (f'{heading}: nothing is in {name}' for name, lines in zip(names, pieces[2::2]) if not re.search(r'^- ', lines, re.M))
    if re.search(r'^- ', pieces[0], re.M):
        yield f'{heading}: there is a line above the first section'


def is_date(text):
    try:
        return bool(datetime.date.fromisoformat(text))
    except ValueError:
        return False


def problems(changelog, version):
    """What is wrong with a changelog of a library of this version."""
    parts, releases = parts_of(changelog), releases_of(changelog)
    if not changelog.startswith('# Changelog\n'):
        yield 'the first line is not "# Changelog"'
    if not parts or parts[0][0].strip('[]') != 'Unreleased':
        yield 'the first part is not "Unreleased"'
    if len(releases) != len(parts) - 1:
        yield 'a heading is not as in "1.2.0 - 2027-01-31"'
    for heading, text in parts:
        yield from problems_of_part(heading, text)
        if heading.startswith('[') and not re.search(rf'^{re.escape(heading.split(" ")[0])}: \S', changelog, re.M):
            yield f'{heading}: its link is missing'
    yield from (f'{date} is no date' for _, date in releases if not is_date(date))
    if any(order(a[0]) <= order(b[0]) or a[1] < b[1] for a, b in zip(releases, releases[1:])):
        yield 'the releases are not listed with the newest first'
    newest = releases[0][0] if releases else None
    if newest and order(version) < order(newest):
        yield f'the version is {version}, but {newest} is released'
    if version != newest and not unreleased_in(changelog):
        yield f'the version is {version}, but the changelog says nothing of it'


def problems_of_tag(tag, changelog, version):
    """What is wrong if the changelog and the version are those of this tag."""
    releases = releases_of(changelog)
    if tag != f'v{version}':
        yield f'the tag is {tag}, but the version {version}'
    if not releases or tag != f'v{releases[0][0]}':
        yield f'the tag is {tag}, but the newest release in the changelog is {releases[0][0] if releases else "missing"}'
    if unreleased_in(changelog):
        yield 'something is still unreleased'


def none_of(found):
    found = list(found)
    if found:
        raise AssertionError('\n'.join(found))


def tags_here():
    """(The tags of releases that this commit has, why it can't be said)."""
    if not shutil.which('git') or not (ROOT / '.git').exists():
        return [], 'not a checkout of git'
    done = subprocess.run(['git', '-C', ROOT, 'tag', '--points-at', 'HEAD', 'v[0-9]*'], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL)
    tags = done.stdout.split() if done.returncode == 0 else []
    return tags, None if tags else 'this commit has no tag of a release'


@tap.check
def headers_have_the_version_of_meson_build():
    numbers = ''.join(rf'.*?define TESSERA_VERSION_{part} (\d+)' for part in ('MAJOR', 'MINOR', 'PATCH'))
    tap.equal(version_in('include/tessera/core/config.hpp', numbers), VERSION)


@tap.check
def CMakeLists_txt_has_the_version_of_meson_build():
    tap.equal(version_in('CMakeLists.txt', r'^project\(tessera VERSION ([\d.]+)'), VERSION)


@tap.check
def documents_ask_CMake_for_this_version():
    tap.equal(version_in('test/build/cmake/find_package/CMakeLists.txt', r'find_package\(tessera (\d+)\.(\d+) '),
              VERSION.rsplit('.', 1)[0])


@tap.check
def the_changelog_has_the_form_and_the_version():
    none_of(problems(read('CHANGELOG.md'), VERSION))


@tap.check
def links_of_the_changelog_lead_somewhere():
    links = re.findall(r'\]\(([^)#:]+)', read('CHANGELOG.md'))
    none_of(f'there is no {link}' for link in links if not (ROOT / link).exists())


TAGS, WHY_NONE = tags_here()


def a_tagged_commit_is_that_release():
    for tag in TAGS:
        none_of(problems_of_tag(tag, read('CHANGELOG.md'), VERSION))


tap.check(a_tagged_commit_is_that_release, skip=WHY_NONE)


def everything_in(folder):
    return ''.join(path.read_text() for path in sorted((ROOT / folder).rglob('*.[hc]*')))


@tap.check
def what_is_called_stable_exists():
    text = read('docs/stability.md')
    code, options = everything_in('include'), read('meson_options.txt')
    none_of(f'no header knows {name}' for name in sorted(set(re.findall(r'`(TESSERA_\w+)`', text))) if name not in code)
    listed = re.search(r'the options (.*?) \| targets; the options? (.*?) \|', text)
    names = re.findall(r'`(\w+)`', listed[1] + listed[2])
    tap.equal(sorted(names), sorted(re.findall(r"^option\('(\w+)'", options, re.M)), 'options')


@tap.check
def Compiler_Explorer_finds_the_file_that_it_looks_for():
    text = read('docs/compiler-explorer.md')
    none_of([] if (ROOT / re.search(r'check_file: (\S+)', text)[1]).is_file() else ['the file of check_file is missing'])


GOOD = '''# Changelog
## Unreleased
## 1.2.0 - 2027-01-31
### Added
- this
## 1.1.0 - 2026-12-01
### Fixed
- that
'''


@tap.check
def a_good_changelog_passes():
    none_of(problems(GOOD, '1.2.0'))
    none_of(problems_of_tag('v1.2.0', GOOD, '1.2.0'))
    none_of(problems(GOOD.replace('Unreleased\n', 'Unreleased\n### Added\n- it\n'), '1.3.0'))


@tap.check
def each_mistake_in_a_changelog_is_found():
    for old, new, version in [
            ('', '', '1.1.9'), ('', '', '1.3.0'), ('# Changelog', '# Changes', '1.2.0'), ('## Unreleased\n', '', '1.2.0'),
            ('Added', 'New', '1.2.0'), ('- this', 'this', '1.2.0'), ('- this\n', '- this\n### Added\n- more\n', '1.2.0'),
            ('2027-01-31', '2027-02-31', '1.2.0'), ('2027-01-31', '2026-01-31', '1.2.0'), (' - 2027', ', 2027', '1.2.0'),
            ('1.1.0', '1.2.0', '1.2.0'), ('## 1.2.0', '## [1.2.0]', '1.2.0'), ('### Fixed\n', '', '1.2.0')]:
        changed = GOOD.replace(old, new, 1) if old else GOOD
        tap.equal(any(problems(changed, version)), True, f'{old!r} -> {new!r}, version {version}')


@tap.check
def each_mistake_in_a_release_is_found():
    unreleased = GOOD.replace('Unreleased\n', 'Unreleased\n### Added\n- it\n')
    for tag, changelog, version in [('v1.2.0', GOOD, '1.2.1'), ('v1.2.1', GOOD, '1.2.1'), ('v1.2.0', unreleased, '1.2.0')]:
        tap.equal(any(problems_of_tag(tag, changelog, version)), True, f'{tag}, version {version}')


sys.exit(tap.run())
