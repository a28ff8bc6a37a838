/**
 * A trial of Berth: three of them and a rival scheduler on one cluster, pods that come and go, and
 * a nemesis; afterwards the history is judged.
 */
@NullMarked
package io.berth.demo.trial;

import org.jspecify.annotations.NullMarked;
