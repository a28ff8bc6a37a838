/** What Berth may do on a cluster, and what it does. */
@NullMarked
package io.berth.demo.access;

import org.jspecify.annotations.NullMarked;
