/** The search of nodes for all members of a group together. */
@NullMarked
package io.berth.engine.group;

import org.jspecify.annotations.NullMarked;
