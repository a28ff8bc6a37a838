/** Measures how long pods wait when the leader is killed or restarted. */
@NullMarked
package io.berth.demo.failover;

import org.jspecify.annotations.NullMarked;
