#!/bin/sh
# One training as several programs side by side, by GNU parallel: on this machine, or on others that ssh reaches. See
# docs/training.md.
#
#   contrib/parallel/train.sh 4 ms3.toml swarm --features ms3 --seed 1
#
# The number of shards, the file for the weights, and the words of `stackhand train` without --out, --checkpoint, --shard and
# --threads. What the shards write lies beside the weights: ms3.toml.part-I and ms3.toml.run-I. Ended and begun again it goes
# on where it was. Options for parallel itself stand in $PARALLEL, such as PARALLEL="--sshloginfile hosts --wd .".

set -eu
[ $# -ge 3 ] || { sed -n '2,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
shards=$1
out=$2
shift 2
stackhand=${STACKHAND:-stackhand}
seq "$shards" | parallel --halt soon,fail=1 \
    "[ -e '$out'.part-{} ] || '$stackhand' train $* --shard {}/$shards --threads 1 --out '$out'.part-{} --checkpoint '$out'.run-{}"
seq "$shards" | sed "s|.*|$out.part-&|" | tr '\n' '\0' | xargs -0 "$stackhand" train merge --out "$out"
