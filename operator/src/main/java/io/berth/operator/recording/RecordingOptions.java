package io.berth.operator.recording;

import java.nio.file.Path;

/**
 * The place where the engine is recorded.
 *
 * @param directory the directory of the files
 * @param bytes the size of all files together
 */
public record RecordingOptions(Path directory, long bytes) {}
