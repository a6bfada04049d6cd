# SPDX-License-Identifier: Apache-2.0
"""Programs of the distribution that nobody changed: from the command to the report."""

import gzip
import json
import random
import shutil

import harness


def text_file(path, megabytes):
    """Words that compress like text; the same in every run."""
    draw = random.Random(1)
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(2, 9)))
             for _ in range(2000)]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    text = " ".join(draw.choices(words, weights, k=170000 * megabytes))
    path.write_text(text)


def video_file(path, frames, width=320, height=240):
    """A y4m video of moving stripes with a little noise."""
    draw = random.Random(2)
    noise = bytes(draw.randrange(16) for _ in range(width * height))
    with open(path, "wb") as video:
        video.write(f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 C420jpeg\n".encode())
        for frame in range(frames):
            video.write(b"FRAME\n")
            stripe = bytes((3 * (column + 2 * frame)) % 200 + 16 for column in range(width))
            luma = bytearray(stripe * height)
            for i in range(frame % 7, len(luma), 7):
                luma[i] = min(255, luma[i] + noise[i])
            video.write(luma + bytes([128]) * (width * height // 2))


class RealPrograms(harness.Folder):
    def setUp(self):
        super().setUp()
        if shutil.which("qemu-x86_64") is None:
            self.skipTest("qemu-x86_64 is not installed")

    def report(self, profile):
        """The report in all its forms; returns the JSON one."""
        html = self.folder / "report.html"
        harness.run(harness.NUMATCH, "report", profile.path, "--html", html)
        self.assertIn("<svg", html.read_text())
        return json.loads(harness.run(harness.NUMATCH, "report", profile.path, "--json").stdout)

    def require(self, program):
        if shutil.which(program) is None:
            self.skipTest(f"{program} is not installed")

    def test_pigz_with_four_threads(self):
        self.require("pigz")
        text = self.folder / "text"
        text_file(text, 2)
        trace, _ = self.capture("qemu", ["pigz", "-p", "4", "-k", text])
        self.assertEqual(gzip.decompress((self.folder / "text.gz").read_bytes()),
                         text.read_bytes(), "pigz did its work")
        profile = self.profile(trace)
        self.assertGreaterEqual(profile.threads, 5, "four compress, one writes, one reads")
        self.assertGreater(sum(map(sum, profile.matrix())), 0)
        self.report(profile)

    def test_x264_with_four_threads(self):
        self.require("x264")
        video = self.folder / "video.y4m"
        video_file(video, 16)
        encoded = self.folder / "video.264"
        trace, _ = self.capture("qemu", ["x264", "--quiet", "--threads", "4", "--preset",
                                         "superfast", "-o", encoded, video])
        self.assertGreater(encoded.stat().st_size, 0)
        profile = self.profile(trace)
        self.assertGreaterEqual(profile.threads, 4)
        self.assertGreater(sum(map(sum, profile.matrix())), 0)
        self.report(profile)


if __name__ == "__main__":
    harness.main()
