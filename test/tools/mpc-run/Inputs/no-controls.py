"""Copies standard input to standard output, and fails where a control character but the end of a line is in it."""
import re
import sys

text = sys.stdin.buffer.read()
found = re.findall(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", text)
sys.stdout.buffer.write(text)
sys.exit(f"control characters: {found}" if found or not text else 0)
