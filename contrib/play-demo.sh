#!/bin/sh
# A real game that nobody here wrote, vitetris, played on this computer: seen on its screen, pressed by its keys.
# Usage: play-demo.sh STACKHAND [SECONDS]
set -eu
stackhand=$1
seconds=${2:-60}
out=$(mktemp -d)
server=
game=
end() {
	# Nothing is left behind, whatever happened.
	[ -z "$game" ] || kill "$game" 2>/dev/null || true
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	rm -rf "$out"
}
trap end EXIT
trap 'exit 130' INT TERM

PATH=$PATH:/usr/games
for need in vitetris xterm; do
	command -v "$need" >/dev/null || { echo "play-demo needs $need: sudo apt install vitetris xterm xvfb" >&2; exit 1; }
done
if [ -z "${DISPLAY:-}" ]; then
	command -v Xvfb >/dev/null || { echo "there is no X display, and no Xvfb to make one: sudo apt install xvfb" >&2; exit 1; }
	echo "There is no X display here (DISPLAY is not set): it plays on one that nobody sees, and tells what happens."
	mkfifo "$out/number"
	Xvfb -displayfd 3 -screen 0 1024x640x24 -nolisten tcp 3>"$out/number" 2>/dev/null &
	server=$!
	read -r number <"$out/number"
	DISPLAY=:$number
	export DISPLAY
fi

# Its own home: the game's settings and scores stay as they are.
HOME=$out xterm -T vitetris -geometry 80x25 -b 0 -bg black -fg gray -fn 12x24 -e vitetris -nomenu -level 0 &
game=$!
# It waits for any key.
if command -v xdotool >/dev/null; then
	timeout 20 xdotool search --sync --onlyvisible --name '^vitetris$' >/dev/null ||
		{ echo "the game's window did not appear within 20 s: does xterm start on this display?" >&2; exit 1; }
	sleep 1
	xdotool search --name '^vitetris$' windowfocus key Return
	sleep 1
else
	echo "Press Enter in the game's window now."
	sleep 5
fi
"$stackhand" calibrate --no-ui --source screen:vitetris --layout vitetris --relay keys:vitetris \
	--profile "$out/vitetris.toml" >"$out/calibrate.txt" || { cat "$out/calibrate.txt"; exit 1; }
tail -n 2 "$out/calibrate.txt" | head -n 1
echo "Playing for $seconds s. Keys are pressed only while the game's window is in front: click it if it is not. Ctrl-C ends."
"$stackhand" play --profile "$out/vitetris.toml" --seconds "$seconds"
