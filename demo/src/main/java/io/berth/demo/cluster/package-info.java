/** A cluster on this machine with Berth on it, installed from deploy/ as on any other cluster. */
@NullMarked
package io.berth.demo.cluster;

import org.jspecify.annotations.NullMarked;
