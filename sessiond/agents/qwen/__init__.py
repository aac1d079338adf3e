"""The room of Qwen Code, a fork of Gemini CLI, whose chats are read and never written."""
