/** Reports for people: events, metrics, and the latest decision on each pod. */
@NullMarked
package io.berth.operator.record;

import org.jspecify.annotations.NullMarked;
