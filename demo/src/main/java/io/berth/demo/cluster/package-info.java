/**
 * Local and real clusters for the demo, and Berth on them, installed from deploy/ as on any
 * cluster.
 */
@NullMarked
package io.berth.demo.cluster;

import org.jspecify.annotations.NullMarked;
