/** Berth's permissions on a cluster and their use. */
@NullMarked
package io.berth.demo.access;

import org.jspecify.annotations.NullMarked;
