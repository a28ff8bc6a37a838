/** Berth's rights on a cluster, and its use of them. */
@NullMarked
package io.berth.demo.access;

import org.jspecify.annotations.NullMarked;
