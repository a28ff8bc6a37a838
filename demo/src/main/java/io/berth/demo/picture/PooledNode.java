package io.berth.demo.picture;

import java.util.List;

/**
 * A node and the pods on it.
 *
 * @param cpus allocatable CPUs, rounded down
 * @param pods names of the pods bound to the node, each of which requests one CPU
 */
record PooledNode(String name, String pool, int cpus, List<String> pods) {}
