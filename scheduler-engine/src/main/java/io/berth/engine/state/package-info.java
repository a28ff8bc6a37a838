/**
 * Cluster state in columns: node slots, the resources that are requested on them, and change logs.
 */
@NullMarked
package io.berth.engine.state;

import org.jspecify.annotations.NullMarked;
