/** The demo of Berth as a story in which every statement is checked on a cluster. */
@NullMarked
package io.berth.demo.story;

import org.jspecify.annotations.NullMarked;
