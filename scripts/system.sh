#!/bin/sh
# Find Java and Chromium; install what is missing where this can (root on Debian or Ubuntu), else say how in one line.
set -eu

found() { for program in "$@"; do command -v "$program" >/dev/null 2>&1 && return 0; done; return 1; }

packages=""
found java || packages="default-jre-headless"
found chromium-headless-shell chromium chromium-browser google-chrome || packages="$packages chromium-headless-shell"
[ -n "$packages" ] || exit 0

if [ "$(id -u)" = 0 ] && found apt-get; then
  echo "installing:" $packages
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >/dev/null
else
  echo "error: the tests need" $packages "- as root: apt-get install" $packages >&2
  exit 2
fi
