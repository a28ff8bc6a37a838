/** The purpose of Berth as a story whose every sentence is checked on a cluster. */
@NullMarked
package io.berth.demo.story;

import org.jspecify.annotations.NullMarked;
